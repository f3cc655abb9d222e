"""Make the buckets named on the command line where AWS_ENDPOINT_URL says; those that are there stay as they are."""

from __future__ import annotations

import sys

import boto3


def main() -> None:
    """One line for each bucket."""
    store = boto3.client("s3")
    there = {bucket["Name"] for bucket in store.list_buckets()["Buckets"]}
    for name in sys.argv[1:]:
        if name in there:
            print(f"the bucket {name} is there")
        else:
            store.create_bucket(Bucket=name)
            print(f"made the bucket {name}")


if __name__ == "__main__":
    main()
