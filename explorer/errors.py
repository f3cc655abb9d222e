"""The one error that is the user's to fix."""

__all__ = ["UserError"]


class UserError(Exception):
    """Bad input. The message is one sentence: the invariant, the value, the remedy.

    The command line prints it without a traceback and exits with code 2.
    """
