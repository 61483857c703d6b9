package io.fairlead.cli.soak;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Where a thread stands that ought to have ended. */
final class Hang {
    private static final int FRAMES = 6;

    private Hang() {}

    static String describe(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .limit(FRAMES)
                .map(StackTraceElement::toString)
                .collect(Collectors.joining(" < "));
    }
}
