"""Child of `test_skypilot`: has skypilot read, check and price a task without any network.

Writes a catalog of one machine into its HOME, as skypilot keeps one that its user made.
Prints "cost USD TYPE", or "refused" and why.
"""

import os
import sys
from pathlib import Path

FILES = {
    "aws/vms.csv": (
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,"
        "Region,AvailabilityZone,Arch\n"
        "c7i.4xlarge,,,16.0,32.0,,0.714,0.25,us-east-1,us-east-1a,x86_64\n"
    ),
    "aws/images.csv": "Tag,Region,OS,OSVersion,ImageId,CreationDate,BaseImageId\n",
    "aws/instance_quota_mapping.csv": "InstanceType,SpotInstanceCode,OnDemandInstanceCode\n",
    "common/accelerators.csv": "AcceleratorName,Clouds\nT4,\"['AWS', 'GCP', 'Azure']\"\n",
}
CATALOG_VERSION = "v8"


def main() -> None:
    """Check the task named on the command line."""
    root = Path(os.environ["HOME"]) / ".sky" / "catalogs" / CATALOG_VERSION
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    import sky
    from sky import check, clouds, optimizer

    check.get_cached_enabled_clouds_or_refresh = lambda *_args, **_kwargs: [clouds.AWS()]
    try:
        task = sky.Task.from_yaml(sys.argv[1])
        task.validate(skip_file_mounts=True)
        with sky.Dag() as dag:
            dag.add(task)
        optimizer.Optimizer.optimize(dag, quiet=True)
    except Exception as error:  # whatever skypilot raises is its verdict
        print("refused", error)
        return
    best = task.best_resources
    print(f"cost {best.get_cost(3600):.3f} {best.instance_type}")


main()
