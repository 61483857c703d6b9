package io.fairlead.transport.ucx;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openucx.jucx.UcxException;

/** Which of Java's options allows the native calls that the transport and JUCX make. */
final class NativeAccess {
    private NativeAccess() {}

    /** The option as it must be given, with both modules, or for the class path as a whole. */
    static String option() {
        return Stream.of(NativeAccess.class, UcxException.class)
                .map(Class::getModule)
                .map(module -> module.isNamed() ? module.getName() : "ALL-UNNAMED")
                .distinct()
                .collect(Collectors.joining(",", "--enable-native-access=", ""));
    }
}
