package io.fairlead.spi.served;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The unanswered requests of one endpoint, oldest first. Completes their operations when the answers arrive. */
final class Unanswered {
    /** A request that awaits an answer, or a flush that needs none and completes when it is the oldest. */
    private static final class Request {
        int kind;
        boolean isMarker;
        /** Null for a put, which has completed before its answer arrives. */
        @Nullable Operation operation;
        /**
         * The number of requests that are done when this one is answered: itself, and the preceding puts that request
         * no answer.
         */
        int covered;
        /**
         * For a get: the position of the next byte, relative to the operation's offset, and the number of missing
         * bytes.
         */
        long position;

        long left;
        /** The operation completes with this request. */
        boolean isLast;
    }

    private final EndpointHost host;
    private final ServedChannel channel;
    private final Runnable answered;
    private final GetIntake intake = new GetIntake();
    private final RecordQueue<Request> requests = new RecordQueue<>(Request::new);
    private int count;
    /** Puts after the last request that requests an answer. */
    private int unansweredPuts;

    private int gets;
    /** A put was refused since the last flush. */
    private boolean refusedPut;
    /** A request of the get that is being answered was refused. */
    private boolean refusedGet;

    /**
     * Creates an empty list.
     *
     * @param host the core's side of the endpoint
     * @param channel notified of closed memory
     * @param answered runs after each answer, when the window has capacity
     */
    Unanswered(EndpointHost host, ServedChannel channel, Runnable answered) {
        this.host = host;
        this.channel = channel;
        this.answered = answered;
    }

    /** The number of requests that are not known to be done. */
    int count() {
        return count;
    }

    int unansweredPuts() {
        return unansweredPuts;
    }

    boolean hasGets() {
        return gets > 0;
    }

    boolean isDrained() {
        return requests.isEmpty();
    }

    boolean isIdle() {
        return requests.isEmpty() && unansweredPuts == 0;
    }

    void refused() {
        refusedPut = true;
    }

    /** The status of a flush that completes now. */
    Status flushed() {
        Status status = refusedPut ? Status.REVOKED : Status.OK;
        refusedPut = false;
        return status;
    }

    /** Adds a request that requests an answer; the operation is null if it has completed. */
    void add(int kind, @Nullable Operation operation) {
        append(kind, operation).isLast = true;
    }

    void addUnansweredPut() {
        count++;
        unansweredPuts++;
    }

    /** Adds a request for a range of a get. */
    void addGet(Operation operation, long position, long length) {
        Request request = append(ServedMessage.GET, operation);
        request.position = position;
        request.left = length;
        request.isLast = position + length == operation.length();
        gets++;
    }

    private Request append(int kind, @Nullable Operation operation) {
        Request request = requests.add();
        request.kind = kind;
        request.operation = operation;
        request.isMarker = false;
        request.covered = unansweredPuts + 1;
        unansweredPuts = 0;
        count++;
        return request;
    }

    /** Adds a flush that completes when everything before it is answered. */
    void addMarker(Operation flush) {
        Request marker = requests.add();
        marker.kind = ServedMessage.FLUSH;
        marker.operation = flush;
        marker.isMarker = true;
        marker.isLast = true;
    }

    /** As {@link RemoteRequester#answered}. */
    void answered(ServedMessage answer, MemorySegment data, long at) {
        boolean gone = (answer.flags & ServedMessage.GONE) != 0;
        if (answer.kind == ServedMessage.DATA && !gone) {
            Intake get = begin(answer);
            get.take(data, at, answer.dataLength());
            get.end();
            return;
        }
        Request request = oldest(answer);
        switch (request.kind) {
            case ServedMessage.GET -> {
                refusedGet = true;
                endGet();
            }
            case ServedMessage.ATOMIC ->
                operation(end())
                        .complete(gone ? Status.REVOKED : Status.OK, gone ? 0 : Long.BYTES, gone ? 0 : answer.value);
            case ServedMessage.FLUSH -> operation(end()).complete(flushed(), 0);
            default -> end();
        }
        goOn();
    }

    /** As {@link RemoteRequester#begin}. */
    Intake begin(ServedMessage answer) {
        Request request = oldest(answer);
        boolean hasMore = (answer.flags & ServedMessage.MORE) != 0;
        long length = answer.dataLength();
        if (hasMore ? length >= request.left : length != request.left) {
            throw violation("answer to a get is of a wrong length: length=" + length + ", allowed "
                    + (hasMore ? "less than " : "") + request.left + " bytes");
        }
        intake.begin(request, hasMore);
        return intake;
    }

    /** The request that an answer is for. It is never a marker: those complete as soon as they are the oldest. */
    private Request oldest(ServedMessage answer) {
        if (requests.isEmpty()) {
            throw violation("the peer answers without a request: answer=" + answer.name());
        }
        Request request = requests.oldest();
        int due = switch (request.kind) {
            case ServedMessage.GET -> ServedMessage.DATA;
            case ServedMessage.ATOMIC -> ServedMessage.VALUE;
            default -> ServedMessage.DONE;
        };
        if (answer.kind != due) {
            throw violation("the peer answers another request than the oldest: answer=" + answer.name() + ", due is "
                    + ServedMessage.name(due));
        }
        refusedPut |= (answer.flags & ServedMessage.REFUSED) != 0;
        return request;
    }

    /** Removes the oldest request, which is answered. The result is valid until the next request is added. */
    private Request end() {
        Request request = requests.remove();
        count -= request.covered;
        return request;
    }

    private static Operation operation(Request request) {
        Operation operation = Objects.requireNonNull(request.operation, "operation");
        request.operation = null;
        return operation;
    }

    private void endGet() {
        Request request = end();
        gets--;
        boolean isLast = request.isLast;
        Operation get = operation(request);
        if (isLast) {
            boolean gone = refusedGet;
            refusedGet = false;
            get.complete(gone ? Status.REVOKED : Status.OK, gone ? 0 : get.length());
        }
    }

    /** Completes the flushes that have become the oldest. */
    private void goOn() {
        while (!requests.isEmpty() && requests.oldest().isMarker) {
            operation(requests.remove()).complete(flushed(), 0);
        }
        answered.run();
    }

    /** Completes every operation with {@code CANCELLED}: the endpoint has ended. */
    void cancel() {
        count = 0;
        unansweredPuts = 0;
        while (!requests.isEmpty()) {
            Request request = requests.remove();
            Operation operation = request.operation;
            request.operation = null;
            // The last of several requests of a get ends it.
            if (operation != null && request.isLast) {
                operation.complete(Status.CANCELLED, 0);
            }
        }
    }

    private FairleadException violation(String how) {
        return ServedMessage.violation(how + ", endpoint=" + host.label());
    }

    /** Copies the data of the oldest get into its buffer. */
    private final class GetIntake implements Intake {
        private @Nullable Request request;
        private boolean hasMore;
        private boolean isDead;

        void begin(Request answered, boolean more) {
            request = answered;
            hasMore = more;
        }

        private Request request() {
            return Objects.requireNonNull(request, "request");
        }

        private Operation get() {
            return Objects.requireNonNull(request().operation, "operation");
        }

        @Override
        public void take(MemorySegment source, long at, long count) {
            if (isDead) {
                return;
            }
            try {
                MemorySegment.copy(source, at, get().buffer(), offset(), count);
            } catch (IllegalStateException closed) {
                // The get stays open until the endpoint's end cancels it.
                isDead = true;
                channel.memoryClosed(closed);
            }
            took(count);
        }

        @Override
        public MemorySegment hold() {
            return get().buffer();
        }

        @Override
        public long offset() {
            return get().offset() + request().position;
        }

        @Override
        public void took(long bytes) {
            Request answered = request();
            answered.position += bytes;
            answered.left -= bytes;
        }

        @Override
        public void end() {
            request = null;
            if (!hasMore && !isDead) {
                endGet();
                goOn();
            }
        }
    }
}
