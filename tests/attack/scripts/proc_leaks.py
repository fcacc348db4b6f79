"""Threat: /proc tells of the host: disks, interrupts, memory map, kernel options, load.

Layer: /proc without these (subset=pid). It would succeed when any can be read.
"""

import _kit

NAMES = """
acpi/wakeup buddyinfo bus/input/devices cgroups cmdline config.gz consoles crypto devices
diskstats dma execdomains fb filesystems interrupts iomem ioports irq/0/spurious kallsyms
kcore key-users keys kmsg kpagecount kpageflags latency_stats locks mdstat misc modules mtrr
partitions pagetypeinfo pressure/cpu pressure/io pressure/memory sched_debug schedstat
scsi/scsi slabinfo softirqs swaps sysvipc/shm timer_list timer_stats tty/drivers version
vmallocinfo vmstat zoneinfo
""".split()


def attack() -> str | None:
    """Read a byte of each, and look for levers below /proc/pressure."""
    leaks = _kit.readable(*(f"/proc/{name}" for name in NAMES))
    return ", ".join(filter(None, [leaks, _kit.writable("/proc/pressure/memory")]))


_kit.run(attack)
