package io.fairlead.transport.ucx;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openucx.jucx.ucp.UcpWorkerParams;

/** What UCX is asked for when a worker is made. */
final class WorkerParams {
    /**
     * From this minor version on UCX, if it was built with assertions, ends a process that calls a worker from another
     * thread than its first. One does when it closes the worker of a thread that has ended.
     */
    private static final int MINOR_WITH_OWNER = 18;

    /** {@code UCS_THREAD_MODE_SERIALIZED}: any thread, one at a time, without locks. */
    private static final int SERIALIZED = 1;

    private WorkerParams() {}

    /** JUCX offers the mode with locks alone, so its number is replaced. */
    static UcpWorkerParams ofOneThreadAtATime() {
        UcpWorkerParams params = new UcpWorkerParams();
        if (Ucp.version()[1] >= MINOR_WITH_OWNER) {
            params.requestThreadSafety();
            mode().set(params, SERIALIZED);
        }
        return params;
    }

    private static VarHandle mode() {
        try {
            return MethodHandles.privateLookupIn(UcpWorkerParams.class, MethodHandles.lookup())
                    .findVarHandle(UcpWorkerParams.class, "threadMode", int.class);
        } catch (ReflectiveOperationException other) {
            throw new IllegalStateException("JUCX is not the one that Fairlead is built with", other);
        }
    }
}
