"""Certificates that nobody vouches for."""

import subprocess
from pathlib import Path

MAKE = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")


def certificate_of(name: str, folder: Path) -> Path:
    """Make a certificate for a name, and return it and its key in one file."""
    names = ("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}")
    files = ("-keyout", folder / "key.pem", "-out", folder / "cert.pem")
    subprocess.run([*MAKE, *names, *files], check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return both
