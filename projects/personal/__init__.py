"""Personal data: which fields hold it, who may see it, and what the others are shown in its place"""
