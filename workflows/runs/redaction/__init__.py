"""A document as those are shown it who may not see its personal values: texts masked, page images painted over."""
