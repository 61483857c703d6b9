package io.fairlead.node.internal.memory;

import org.jspecify.annotations.Nullable;

/** A thread that makes progress for a node. Calls look for its type, because it must not wait for a node. */
public final class ProgressThread extends Thread {
    private final NativePool.Cache blocks;
    /** What the handler that runs works for; null while none runs. For this thread alone. */
    private @Nullable Object subject;

    public ProgressThread(Runnable loop, String name, NativePool pool) {
        super(null, loop, name, 0, false);
        this.blocks = new NativePool.Cache(pool);
        setDaemon(true);
    }

    /** Whether the caller must not wait for a node: what it waits for may need this very thread. */
    public static boolean isCurrent() {
        return Thread.currentThread() instanceof ProgressThread;
    }

    public @Nullable Object subject() {
        return subject;
    }

    /** Sets what the handler that runs from now on works for. */
    public void setSubject(@Nullable Object now) {
        subject = now;
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
