"""Which addresses a client may register to get its code at."""

from __future__ import annotations

from typing import Final

from pydantic import AnyUrl

from tdmcp_embedded.http.hosts import is_loopback

#: Schemes that a browser or the system acts on itself, instead of calling a program that has asked for a token.
_UNSAFE_SCHEMES: Final = frozenset(
    {
        "about", "afp", "android-app", "apt", "blob", "chrome", "chrome-extension", "cid", "content", "data",
        "facetime", "feed", "file", "filesystem", "ftp", "ftps", "git", "gopher", "imap", "intent", "irc", "ircs", "itms",
        "itms-services", "jar", "javascript", "ldap", "ldaps", "livescript", "mailto", "market", "mocha",
        "moz-extension", "nfs", "nntp", "prefs", "rdp", "resource", "rtsp", "search", "search-ms", "sftp", "shell", "sip",
        "sips", "skype", "smb", "sms", "smsto", "ssh", "steam", "tel", "telnet", "tftp", "tn3270", "urn", "vbscript",
        "view-source", "vnc", "webcal", "ws", "wss", "wyciwyg", "x-apple.systempreferences", "xmpp",
    }
)  # fmt: skip
#: And those of Windows' own programs, of which there are too many to be listed.
_UNSAFE_PREFIXES: Final = ("ms-", "x-apple", "com.apple.", "microsoft.")


def acceptable(uri: AnyUrl) -> bool:
    """Whether a code may be sent to this address."""
    if len(str(uri)) > 500 or uri.fragment or uri.username or uri.password:
        return False
    if uri.scheme == "http":
        host = (uri.host or "").strip("[]")
        return host == "localhost" or is_loopback(host)
    if uri.scheme == "https":
        return bool(uri.host)
    if uri.scheme in _UNSAFE_SCHEMES or uri.scheme.startswith(_UNSAFE_PREFIXES):
        return False
    # A private scheme (RFC 8252, 7.1): the reversed name of a domain, or at least an address and not a command.
    return "." in uri.scheme or bool(uri.host)
