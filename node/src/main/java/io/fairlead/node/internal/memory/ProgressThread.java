package io.fairlead.node.internal.memory;

/** A thread that makes progress for a node. Calls look for its type, because it must not wait for a node. */
public final class ProgressThread extends Thread {
    private final NativePool.Cache blocks;

    public ProgressThread(Runnable loop, String name, NativePool pool) {
        super(null, loop, name, 0, false);
        this.blocks = new NativePool.Cache(pool);
        setDaemon(true);
    }

    /** Whether the caller must not wait for a node: what it waits for may need this very thread. */
    public static boolean isCurrent() {
        return Thread.currentThread() instanceof ProgressThread;
    }

    /** What this thread keeps of its node's memory; for this thread alone. */
    NativePool.Cache blocks() {
        return blocks;
    }

    /** The memory of its node. */
    NativePool pool() {
        return blocks.pool();
    }
}
