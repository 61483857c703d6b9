package io.fairlead.internal.events;

import jdk.jfr.FlightRecorder;

/**
 * Whether a recording was ever started in this JVM. Before that, events have no reader. The first use of an event's
 * class registers it, which would delay the first connection by 50 ms.
 */
public final class FlightRecording {
    private FlightRecording() {}

    /** Whether event classes may be used. */
    public static boolean hasBegun() {
        return FlightRecorder.isInitialized();
    }
}
