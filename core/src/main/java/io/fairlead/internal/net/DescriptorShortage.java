package io.fairlead.internal.net;

import io.fairlead.spi.Descriptors;
import java.io.IOException;
import java.net.SocketException;

/** Distinguishes a lack of file descriptors from other failures of a socket: the JDK has no type for it. */
public final class DescriptorShortage {
    private static final String OF_PROCESS = "Too many open files";
    private static final String OF_SYSTEM = "Too many open files in system";

    private DescriptorShortage() {}

    /** Loads the class while a descriptor for that is free: it may be in a folder, and is needed when none is left. */
    public static void prepare() {}

    /**
     * The fault, if a socket could not be opened for lack of a descriptor.
     *
     * @param failure of opening, accepting or connecting a socket
     * @return the second part of an error message with the remedy; empty if that is not the cause
     */
    public static String of(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        if (message.contains(OF_SYSTEM)) {
            return "the operating system has no file descriptor left: cause: " + message
                    + "; raise the limit of all processes (sysctl fs.file-max), or end some";
        }
        return message.contains(OF_PROCESS) || (mayBeTranslated(failure) && Descriptors.free() == 0)
                ? Descriptors.shortage(0)
                : "";
    }

    /**
     * The message is the C library's, in the language of the process. Failures of a connection have exception types of
     * their own.
     */
    private static boolean mayBeTranslated(IOException failure) {
        return failure.getClass() == IOException.class || failure.getClass() == SocketException.class;
    }
}
