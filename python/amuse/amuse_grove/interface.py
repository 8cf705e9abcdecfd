"""The side of the script: functions, parameters and units."""

from amuse.community.interface.gd import GravitationalDynamics, GravitationalDynamicsInterface, GravityFieldCode, GravityFieldInterface
from amuse.community.interface.stopping_conditions import StoppingConditionInterface, StoppingConditions
from amuse.rfi.core import LegacyFunctionSpecification, PythonCodeInterface, legacy_function
from amuse.support.literature import LiteratureReferencesMixIn
from amuse.units import nbody_system

PARAMETERS = {
    # AMUSE's name: the worker's, which is that of Grove's configuration where it is a key there; Grove's default; unit; meaning.
    "epsilon_squared": ("eps2", 0.0, nbody_system.length**2, "square of the softening length"),
    "timestep": ("time_step", 0.01, nbody_system.time, "longest time step; steps are equal and end at the time of evolve_model"),
    "begin_time": ("begin_time", 0.0, nbody_system.time, "model time to start the simulation at"),
    "opening_angle": ("theta", 0.6, None, "opening angle, with opening = geometric, barnes or minimal_distance"),
    "tolerance": ("tolerance", 0.001, None, "allowed error of a single cell's force, relative to the acceleration, with opening = relative"),
    "method": ("method", "fmm", None, "fmm, tree or direct"),
    "opening": ("opening", "relative", None, "opening criterion: relative, geometric, barnes or minimal_distance"),
    "order": ("order", 4, None, "order of the expansions of fmm: 4 or 5"),
    "softening_kernel": ("softening_kernel", "plummer", None, "as gravity.softening_kernel"),
    "all_pairs_up_to": ("all_pairs_up_to", 16384, None, "direct summation for up to so many particles on a GPU, for an eighth of it on CPU cores"),
    "integrator": ("integrator", "leapfrog", None, "any value of time.integrator, as yoshida4"),
    "device": ("device", "auto", None, "auto, gpu or cpu"),
}


def _accessor(name, default, unit):
    def specification():
        function = LegacyFunctionSpecification()
        direction = function.OUT if name.startswith("get_") else function.IN
        function.addParameter("value", dtype={int: "int32", float: "float64", str: "string"}[type(default)], direction=direction, unit=unit)
        function.result_type = "int32"
        return function

    specification.__name__ = name
    return legacy_function(specification)


def _for_arrays(function):
    """The same function of AMUSE, called once for all particles instead of once for each."""

    def specification():
        result = function.specification_function()
        result.must_handle_array = True
        return result

    specification.__name__, specification.__doc__ = function.specification_function.__name__, function.specification_function.__doc__
    return legacy_function(specification)


class GroveInterface(
    PythonCodeInterface, LiteratureReferencesMixIn, GravitationalDynamicsInterface, StoppingConditionInterface, GravityFieldInterface
):
    """
    .. [#] ADS:2002JCoPh.179...27D (Dehnen, W., *Journal of Computational Physics*, **179**, 27 (2002)): the fast multipole method
    """

    def __init__(self, **options):
        options.setdefault("use_python_interpreter", True)
        PythonCodeInterface.__init__(self, None, "worker.py", **options)
        LiteratureReferencesMixIn.__init__(self)

    for _function, _default, _unit, _ in PARAMETERS.values():
        for _name in (f"get_{_function}", f"set_{_function}"):
            locals()[_name] = _accessor(_name, _default, _unit)
    for _name in (
        "new_particle", "delete_particle", "get_acceleration", "get_potential",
        *(verb + what for verb in ("get_", "set_") for what in ("state", "mass", "radius", "position", "velocity")),
    ):  # fmt: skip
        locals()[_name] = _for_arrays(getattr(GravitationalDynamicsInterface, _name))


class Grove(GravitationalDynamics, GravityFieldCode):
    """Gravity by Grove. convert_nbody: None for N-body units. options: those of AMUSE, as number_of_workers and channel_type."""

    __interface__ = GroveInterface

    def __init__(self, convert_nbody=None, **options):
        self.stopping_conditions = StoppingConditions(self)
        GravitationalDynamics.__init__(self, self.__interface__(**options), convert_nbody, **options)

    def define_parameters(self, handler):
        for name, (function, default, unit, meaning) in PARAMETERS.items():
            handler.add_method_parameter(f"get_{function}", f"set_{function}", name, meaning, default if unit is None else default | unit)
        self.stopping_conditions.define_parameters(handler)

    def define_methods(self, handler):
        GravitationalDynamics.define_methods(self, handler)
        self.stopping_conditions.define_methods(handler)

    def define_state(self, handler):
        GravitationalDynamics.define_state(self, handler)
        GravityFieldCode.define_state(self, handler)
        self.stopping_conditions.define_state(handler)

    def define_particle_sets(self, handler):
        GravitationalDynamics.define_particle_sets(self, handler)
        self.stopping_conditions.define_particle_set(handler)
