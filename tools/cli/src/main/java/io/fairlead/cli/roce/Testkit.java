package io.fairlead.cli.roce;

import io.fairlead.cli.command.CommandFailure;

/** Whether the testkit is on the class path. */
final class Testkit {
    private static final String HARNESS = "io.fairlead.testkit.roce.RoceTest";

    private Testkit() {}

    static boolean present() {
        try {
            Class.forName(HARNESS, false, Testkit.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    /** Fails where it is not. */
    static void check() {
        if (!present()) {
            throw CommandFailure.failed(
                    "roce-test needs Fairlead's testkit, which is not on the class path; start it in a clone by ./fairlead roce-test");
        }
    }
}
