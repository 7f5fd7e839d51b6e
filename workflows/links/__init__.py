"""What people without an account open: documents and folders that are shared by link"""
