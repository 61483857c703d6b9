package io.fairlead.internal.events;

import jdk.jfr.FlightRecorder;

/**
 * Whether anybody has recorded in this JVM. Before that no event has a reader, and the first touch of an event's class would register it, which takes a
 * twentieth of a second on the way to the first connection.
 */
public final class FlightRecording {
    private FlightRecording() {}

    /** Whether events may be looked at. */
    public static boolean hasBegun() {
        return FlightRecorder.isInitialized();
    }
}
