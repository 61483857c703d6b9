package io.fairlead.testkit.contract;

/** Lets the module export this package until its first type lands; goes with that type. */
final class Placeholder {
    private Placeholder() {}
}
