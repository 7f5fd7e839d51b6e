import django.db.models.deletion
from django.db import migrations, models

# Full-text tables, for which Django has no models: the words by the key of their part, in each database's format.
WORDS = {
    # Words are folded and separated by blanks; "ascii" keeps every non-ASCII letter, even one newer than SQLite.
    "sqlite": ("CREATE VIRTUAL TABLE search_searchwords USING fts5(words, tokenize = 'ascii')",),
    "postgresql": (
        "CREATE TABLE search_searchwords (part_id bigint PRIMARY KEY, words tsvector NOT NULL)",
        "CREATE INDEX search_by_word ON search_searchwords USING gin (words)",
    ),
}


def make_words(apps, editor):
    for statement in WORDS[editor.connection.vendor]:
        editor.execute(statement)


def drop_words(apps, editor):
    editor.execute("DROP TABLE search_searchwords")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='SearchRebuild',
            fields=[
                ('site', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('started_at', models.CharField(max_length=40)),
                ('project_id', models.CharField(default='', max_length=255)),
                ('cursor', models.TextField(default='')),
                ('done', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='SearchDocument',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('site', models.CharField(max_length=40)),
                ('document_id', models.CharField(max_length=255)),
                ('project_id', models.CharField(default='', max_length=255)),
                ('project_name', models.TextField(default='')),
                ('name', models.TextField(default='')),
                ('file_type', models.CharField(default='', max_length=255)),
                ('run_id', models.CharField(default='', max_length=64)),
                ('status', models.CharField(default='', max_length=32)),
                ('created_at', models.CharField(default='', max_length=40)),
                ('generation', models.CharField(default='', max_length=26)),
                ('is_found', models.BooleanField(default=False)),
                ('seen_at', models.CharField(default='', max_length=40)),
            ],
            options={
                'indexes': [models.Index(fields=['site', 'is_found', 'created_at', 'document_id'], name="search_by_newest"), models.Index(fields=['site', 'seen_at'], name="search_by_seen")],
                'constraints': [models.UniqueConstraint(fields=('site', 'document_id'), name="search_one_document")],
            },
        ),
        migrations.CreateModel(
            name='SearchPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('generation', models.CharField(max_length=26)),
                ('position', models.PositiveIntegerField()),
                ('kind', models.CharField(max_length=8)),
                ('page', models.PositiveIntegerField(null=True)),
                ('label', models.TextField(default='')),
                ('text', models.TextField()),
                ('document', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='search.searchdocument')),
            ],
            options={
                'indexes': [models.Index(fields=['document', 'generation', 'position'], name="search_by_part")],
            },
        ),
        migrations.RunPython(make_words, drop_words),
    ]
