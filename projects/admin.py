"""Django's own admin: users and their roles. Everything of the table is edited in the desk's pages, never here."""

from django.contrib import admin

admin.site.site_header = "Countersign: users and roles"
admin.site.site_title = "Countersign"
admin.site.index_title = "Users and roles"
admin.site.site_url = "/"
