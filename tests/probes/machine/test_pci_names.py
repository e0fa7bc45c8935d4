from probes.machine.pci_names import parse_pci_ids, read_pci_names

TEXT = """# comment
1002  Advanced Micro Devices, Inc. [AMD/ATI]
\t130f  Kaveri [Radeon R7 Graphics]
\t\t1043 130f  subsystem
8086  Intel Corporation
\t130f  another device
C 03  Display controller
\t9a49  not a device
"""


def test_names_belong_to_their_vendor_and_classes_are_no_vendors():
    wanted = frozenset({("1002", "130f"), ("8086", "9a49")})
    assert parse_pci_ids(TEXT, wanted=wanted) == {("1002", "130f"): "Kaveri [Radeon R7 Graphics]"}


def test_the_first_place_that_has_a_file_is_read(make_machine):
    reader = make_machine({"/usr/share/hwdata/pci.ids": TEXT})
    assert read_pci_names(reader, [("8086", "130f")]) == {("8086", "130f"): "another device"}
    assert read_pci_names(reader, []) == {}
    assert read_pci_names(make_machine({}), [("8086", "130f")]) == {}
