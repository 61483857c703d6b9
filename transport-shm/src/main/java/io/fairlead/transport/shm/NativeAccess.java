package io.fairlead.transport.shm;

/** The Java option that allows the transport's native calls. */
final class NativeAccess {
    private NativeAccess() {}

    /** The option as it must be given: with the module, or for the whole class path. */
    static String option() {
        Module module = NativeAccess.class.getModule();
        return "--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }
}
