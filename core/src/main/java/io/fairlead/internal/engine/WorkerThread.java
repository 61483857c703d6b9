package io.fairlead.internal.engine;

/** The thread that a worker belongs to. */
final class WorkerThread {
    /** Changes only when it has ended. Whatever another thread reads here is not itself. */
    private Thread owner = Thread.currentThread();

    Thread owner() {
        return owner;
    }

    /** Gives the worker to the calling thread if its own has ended; what that did is visible then. False if it lives, or is the calling one. */
    synchronized boolean tryAdopt() {
        if (owner.isAlive()) {
            return false;
        }
        owner = Thread.currentThread();
        return true;
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
