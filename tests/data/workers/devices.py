"""A worker that lists devices as DL_DEVICES says. Standard library only."""

import json
import os
import sys

answers = json.loads(os.environ["DL_DEVICES"])
sys.stdout.write('{"type": "hello", "protocol": 1}\n')
sys.stdout.flush()
framework = json.loads(sys.stdin.readline())["framework"]
if framework not in answers:
    sys.exit(3)
sys.stdout.write(json.dumps({"type": "result", "devices": answers[framework]}) + "\n")
