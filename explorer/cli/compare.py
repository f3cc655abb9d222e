def compare() -> None:
    """x"""
