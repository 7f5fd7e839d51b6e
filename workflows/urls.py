"""URLs of runs, documents and health."""

app_name = "workflows"
urlpatterns: list[object] = []
