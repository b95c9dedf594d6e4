"""Compares the library's AWS signatures with botocore's: `python -m interop.signatures FOLDER`.

Tests/InteropTests writes the cases into the folder: requests with their credentials and signatures.
"""

import base64
import datetime
import json
import os
import sys

# The minimum number of cases. Fewer mean that the suite did not write them correctly.
MINIMUM = 300
# The number of differences to show.
SHOWN = 3


def expected(case, auth, AWSRequest, Credentials):
    """Returns the Authorization field and the signature of the presigned URL, computed by botocore."""
    moment = datetime.datetime.strptime(case["date"], "%Y%m%dT%H%M%SZ")
    auth.get_current_datetime = lambda *_, **__: moment
    credentials = Credentials(case["accessKey"], case["secretKey"], case.get("sessionToken"))
    is_s3 = case["service"] == "s3"
    # The body is always signed over plain HTTP. For S3, botocore must be configured to do so.
    signs_content = case["signsContent"] or not case["url"].startswith("https:")
    request = AWSRequest(
        method=case["method"], url=case["url"], data=base64.b64decode(case["body"]))
    for name, value in case["fields"]:
        request.headers[name] = value
    if is_s3:
        request.context["client_config"] = Configuration(signs_content)
    request.context["payload_signing_enabled"] = signs_content
    signer = auth.S3SigV4Auth if is_s3 else auth.SigV4Auth
    signer(credentials, case["service"], case["region"]).add_auth(request)

    presigned = AWSRequest(method=case["method"], url=case["url"])
    signer = auth.S3SigV4QueryAuth if is_s3 else auth.SigV4QueryAuth
    signer(credentials, case["service"], case["region"], expires=case["expires"]).add_auth(presigned)
    return request.headers["Authorization"], presigned.url.rpartition("X-Amz-Signature=")[2]


class Configuration:
    def __init__(self, signs_content):
        self.s3 = {"payload_signing_enabled": signs_content}


def main(folder):
    try:
        from botocore import auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials
    except ImportError as error:
        print(f"  botocore         skipped: {error}")
        return 0
    with open(os.path.join(folder, "signatures.ndjson"), encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    if len(cases) < MINIMUM:
        sys.exit(f"signatures.ndjson has {len(cases)} cases; at least {MINIMUM} are expected")
    differences = 0
    for case in cases:
        field, signature = expected(case, auth, AWSRequest, Credentials)
        for part, found, wanted in (
            ("field", case["authorization"], field), ("URL", case["presigned"], signature),
        ):
            if found != wanted:
                differences += 1
                if differences <= SHOWN:
                    print(f"  FAIL  case {case['number']}, the {part} of {case['method']} {case['url']}\n"
                          f"        is {found}\n        instead of {wanted}")
    print(f"signatures: {len(cases)} requests and as many URLs, {differences} differences from botocore")
    return 1 if differences else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m interop.signatures FOLDER")
    sys.exit(main(sys.argv[1]))
