package io.fairlead.transport.ucx;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openucx.jucx.UcxException;

/** The Java option that allows the native calls of the transport and JUCX. */
final class NativeAccess {
    private NativeAccess() {}

    /** The option as it must be given: with both modules, or for the whole class path. */
    static String option() {
        return Stream.of(NativeAccess.class, UcxException.class)
                .map(Class::getModule)
                .map(module -> module.isNamed() ? module.getName() : "ALL-UNNAMED")
                .distinct()
                .collect(Collectors.joining(",", "--enable-native-access=", ""));
    }
}
