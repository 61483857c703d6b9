package io.fairlead.internal.engine;

/** The thread that owns a worker. */
final class WorkerThread {
    /** Changes only after the thread has ended. Another thread never reads itself here. */
    private Thread owner = Thread.currentThread();

    Thread owner() {
        return owner;
    }

    /**
     * Transfers the worker to the calling thread if its own has ended; the ended thread's writes are then visible.
     * False if that thread lives, or is the caller.
     */
    synchronized boolean tryAdopt() {
        if (owner.isAlive()) {
            return false;
        }
        owner = Thread.currentThread();
        return true;
    }

    // Threads have identity only.
    @SuppressWarnings("ReferenceEquality")
    void check() {
        if (Thread.currentThread() != owner) {
            throw new WrongThreadException("worker belongs to another thread: owner=" + owner.getName() + ", caller="
                    + Thread.currentThread().getName() + "; use a worker of this thread, or a Node");
        }
    }
}
