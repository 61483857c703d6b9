package io.fairlead.transport.shm;

/** Which of Java's options allows the native calls that the transport makes. */
final class NativeAccess {
    private NativeAccess() {}

    /** The option as it must be given, with the module, or for the class path as a whole. */
    static String option() {
        Module module = NativeAccess.class.getModule();
        return "--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }
}
