package io.fairlead.testkit.roce;

/** Asks a thread to end. Thread-safe. */
final class StopRequest {
    private volatile boolean requested;
    private volatile Runnable wakeup = () -> {};

    void request() {
        requested = true;
        wakeup.run();
    }

    boolean requested() {
        return requested;
    }

    /** Names what ends the thread's waiting; runs it at once if the request is there already. */
    void onRequest(Runnable runnable) {
        wakeup = runnable;
        if (requested) {
            runnable.run();
        }
    }
}
