from workflows.runs.views.reading import passages


def test_a_text_is_shown_by_what_its_lines_are() -> None:
    found = passages("# Bill\nDear Ann,\n\nplease pay.\n- soon\n- all\n| Item | Sum |\n| --- | --- |\n| Pens | 4\\|5 |")
    assert [(one.kind, one.rows) for one in found] == [
        ("heading", (("Bill",),)),
        ("lines", (("Dear Ann,",), ("",), ("please pay.",))),
        ("list", (("soon",), ("all",))),
        ("table", (("Item", "Sum"), ("Pens", "4|5"))),
    ]
    assert found[1].text == "Dear Ann,\n\nplease pay."


def test_odd_lines_are_shown_as_they_are() -> None:
    assert [one.kind for one in passages("#no heading\n-no list\n\n| --- |")] == ["lines"]
    assert passages("| --- | --- |") == []
