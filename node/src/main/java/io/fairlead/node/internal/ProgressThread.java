package io.fairlead.node.internal;

/** A thread that makes progress for a node, so that calls can tell it from those that may wait. */
final class ProgressThread extends Thread {
    private final BlockCache blocks;

    ProgressThread(Runnable loop, String name, NativePool pool) {
        super(null, loop, name, 0, false);
        this.blocks = new BlockCache(pool);
        setDaemon(true);
    }

    /** Whether the caller must not wait for a node: what it waits for may need this very thread. */
    static boolean isCurrent() {
        return Thread.currentThread() instanceof ProgressThread;
    }

    /** What this thread keeps of its node's memory; for this thread alone. */
    BlockCache blocks() {
        return blocks;
    }
}
