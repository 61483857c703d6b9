package io.fairlead.spring;

/** Goes around each call of a listener. Thread-safe. */
@FunctionalInterface
interface ListenerObserver {
    /** Only calls. */
    ListenerObserver NONE = (_, _, call) -> call.run();

    /** Calls once, and throws what the call throws. */
    void around(String listener, TopicMessage message, Call call) throws Throwable;

    /** A call of a listener. */
    @FunctionalInterface
    interface Call {
        void run() throws Throwable;
    }
}
