package io.fairlead.node.internal.request;

import io.fairlead.FairleadException;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.memory.NativePool;
import io.fairlead.node.internal.memory.NativePool.Block;
import io.fairlead.node.internal.receive.NodeMessage;
import io.fairlead.observation.MessageContext;
import io.fairlead.spi.LayerReceive;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A reply or a refusal on its way in. Belongs to the loop's thread. */
final class AnswerReceive implements LayerReceive {
    private final PeerRequests requests;
    private final int id;
    private final long length;
    private final int connection;
    private final boolean isReply;
    /** What is wrong with it. It is reported when the message is here, because the worker must not be called inside the match. */
    private @Nullable FairleadException violation;

    private @Nullable Block block;
    /** The process has no memory for the answer. */
    private boolean noMemory;

    AnswerReceive(PeerRequests requests, int id, long length, int connection, boolean isReply) {
        this.requests = requests;
        this.id = id;
        this.length = length;
        this.connection = connection;
        this.isReply = isReply;
        if (!requests.table().tryBeginAnswer(id)) {
            violation = RequestFrame.violation("an answer to no request that waits for one: id=" + id);
        } else if (!isReply && length > RequestFrame.REFUSAL_LENGTH_MAX) {
            violation = RequestFrame.violation(
                    "length of a refusal=" + length + ", allowed 4 to " + RequestFrame.REFUSAL_LENGTH_MAX + " bytes");
        }
    }

    @Override
    public MemorySegment buffer() {
        if (violation != null || length == 0 || (isReply && !isWanted())) {
            return MemorySegment.NULL;
        }
        Block taken = isReply ? tryTake() : requests.refusalBlock();
        if (taken == null) {
            noMemory = true;
            return MemorySegment.NULL;
        }
        block = taken;
        return taken.segment();
    }

    private @Nullable Block tryTake() {
        NativePool pool = requests.loop().group().pool();
        try {
            return length > NodeMessage.HEAP_MAX ? pool.hold(length) : pool.stage(length);
        } catch (OutOfMemoryError none) {
            return null;
        }
    }

    /** Whether a caller waits for the reply, and its length is allowed. */
    private boolean isWanted() {
        return requests.table().request(id) != null && length <= requests.messageMax();
    }

    @Override
    public void completed(Request request) {
        if (!requests.isCurrent(connection)) {
            // Its request has failed with the connection.
            release();
        } else if (violation != null) {
            release();
            requests.violated(violation);
        } else if (noMemory && request.status() == Status.TRUNCATED) {
            requests.answered(
                    id,
                    null,
                    new RequestException(
                            RequestStatus.RESOURCE_EXHAUSTED,
                            "this node has no native memory for the answer, which is lost: length=" + length
                                    + " bytes; close messages sooner, or raise -XX:MaxDirectMemorySize"));
        } else if (isReply) {
            reply(request.status());
        } else {
            refusal(request.status());
        }
    }

    private void reply(Status status) {
        NodeRequest asked = requests.table().request(id);
        if (status == Status.OK && (block != null || length == 0)) {
            Block filled = block;
            block = null;
            NodeMessage message = asked == null
                    ? null
                    : NodeMessage.of(requests.peer(), asked.tag, MessageContext.EMPTY, filled, length);
            if (message == null && filled != null) {
                filled.release();
            }
            requests.answered(id, message, null);
        } else if (status == Status.OK || status == Status.TRUNCATED) {
            release();
            requests.answered(
                    id,
                    null,
                    new RequestException(
                            RequestStatus.RESOURCE_EXHAUSTED,
                            "the reply is longer than this node takes, and lost: length=" + length
                                    + ", node.message-max=" + requests.messageMax() + " bytes; allow more"));
        } else {
            lost();
        }
    }

    private void refusal(Status status) {
        Block filled = block;
        if (status != Status.OK || filled == null) {
            if (status == Status.OK) {
                requests.violated(RequestFrame.violation("length of a refusal=0"));
            }
            lost();
            return;
        }
        RequestException refusal;
        try {
            refusal = RequestFrame.readRefusal(filled.segment(), length);
        } catch (FairleadException malformed) {
            requests.violated(malformed);
            return;
        } finally {
            release();
        }
        requests.answered(id, null, refusal);
    }

    /** The connection ends, and the request fails with it. */
    private void lost() {
        release();
    }

    private void release() {
        Block taken = block;
        if (taken != null) {
            block = null;
            taken.release();
        }
    }
}
