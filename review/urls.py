"""URLs of the desk's reviews."""

app_name = "review"
urlpatterns: list[object] = []
