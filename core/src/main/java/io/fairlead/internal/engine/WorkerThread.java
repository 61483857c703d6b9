package io.fairlead.internal.engine;

/** The thread that owns a worker, until the worker is closed. */
final class WorkerThread {
    /** Changes only after the thread has ended. Another thread never reads itself here. */
    Thread owner = Thread.currentThread();

    private boolean closed;

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
            throw wrong();
        }
    }

    /** The same, for calls that need an open worker. */
    @SuppressWarnings("ReferenceEquality")
    void checkOpen() {
        if (Thread.currentThread() != owner) {
            throw wrong();
        }
        if (closed) {
            throw new IllegalStateException("worker is closed");
        }
    }

    /** The exception for a call of another thread. */
    WrongThreadException wrong() {
        return new WrongThreadException("worker belongs to another thread: owner=" + owner.getName() + ", caller="
                + Thread.currentThread().getName() + "; use a worker of this thread, or a Node");
    }

    boolean isClosed() {
        return closed;
    }

    /** The worker is closed. */
    void close() {
        closed = true;
    }
}
