"""Writes the files unsio_*: `python write_unsio.py` in this directory, with python-unsio."""
import numpy
import unsio.output

# Row i: mass i + 1, position i + 0.25, 2 i, -i; velocity -i - 0.5, i, 0.125; id 100 + i.
def write(name, kind, float32, components):
    number = numpy.float32 if float32 else numpy.float64
    out = unsio.output.CUNS_OUT(name, kind, float32=float32)
    out.setData(2.5, "time")
    first = 0
    for component, n in components:
        i = numpy.arange(first, first + n, dtype=number)
        first += n
        out.setData(number(i + 1), component, "mass")
        out.setData(numpy.stack([i + 0.25, 2 * i, -i], axis=1).astype(number).ravel(), component, "pos")
        out.setData(numpy.stack([-i - 0.5, i, 0 * i + 0.125], axis=1).astype(number).ravel(), component, "vel")
        if kind != "nemo":
            out.setData((100 + i).astype(numpy.int32), component, "id")
    out.save()
    out.close()

write("unsio.gadget2", "gadget2", True, [("halo", 4), ("disk", 3), ("stars", 2)])
write("unsio_fp32.nemo", "nemo", True, [("all", 5)])
write("unsio_fp64.nemo", "nemo", False, [("all", 5)])
