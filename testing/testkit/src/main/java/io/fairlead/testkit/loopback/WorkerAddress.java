package io.fairlead.testkit.loopback;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Where a worker is: in which process, and which worker in it. A random number identifies the process, because process ids
 * repeat between containers.
 *
 * @param process the process
 * @param worker the worker in it
 */
record WorkerAddress(long process, long worker) {
    private static final long THIS_PROCESS = new SecureRandom().nextLong();

    static WorkerAddress ofThisProcess(long worker) {
        return new WorkerAddress(THIS_PROCESS, worker);
    }

    /** Null if the bytes are no address. */
    static @Nullable WorkerAddress decode(byte[] bytes) {
        if (bytes.length != 2 * Long.BYTES) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new WorkerAddress(buffer.getLong(), buffer.getLong());
    }

    byte[] encode() {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(process)
                .putLong(worker)
                .array();
    }

    boolean isOfThisProcess() {
        return process == THIS_PROCESS;
    }
}
