package io.fairlead.internal.engine;

/** The thread that a worker belongs to. */
final class WorkerThread {
    private final Thread owner = Thread.currentThread();

    Thread owner() {
        return owner;
    }

    // A thread is its own identity; it has no other equality.
    @SuppressWarnings("ReferenceEquality")
    void check() {
        if (Thread.currentThread() != owner) {
            throw new WrongThreadException("worker belongs to another thread: owner=" + owner.getName() + ", caller="
                    + Thread.currentThread().getName() + "; use a worker of this thread, or a Node");
        }
    }
}
