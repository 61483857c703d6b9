package io.fairlead.node.internal.request;

import io.fairlead.ActiveMessage;
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
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The replies and refusals of one peer on their way in. Belongs to the loop's thread. */
final class ArrivingAnswers {
    private final PeerRequests requests;

    ArrivingAnswers(PeerRequests requests) {
        this.requests = requests;
    }

    /** An answer is here, and its payload too unless that is long. Inside the message's handler. */
    void received(int id, ActiveMessage message, boolean isReply) {
        int contextLength = isReply ? RequestFrame.replyContextLength(message.buffer()) : 0;
        long length = message.length() - contextLength;
        if (length < 0 || contextLength > MessageContext.BYTES_MAX) {
            requests.violated(RequestFrame.violation(
                    "contextLength=" + contextLength + " in a reply of length=" + message.length() + " bytes"));
            return;
        }
        if (!requests.table().tryBeginAnswer(id)) {
            requests.violated(RequestFrame.violation("an answer to no request that waits for one: id=" + id));
            return;
        }
        NodeRequest asked = requests.table().request(id);
        if (!isReply && length > RequestFrame.REFUSAL_LENGTH_MAX) {
            requests.violated(RequestFrame.violation(
                    "length of a refusal=" + length + ", allowed 4 to " + RequestFrame.REFUSAL_LENGTH_MAX + " bytes"));
        } else if (isReply && asked == null) {
            // Nobody waits for it.
            requests.answered(id, null, null);
        } else if (isReply && length > requests.messageMax()) {
            lose(
                    id,
                    "the reply is longer than this node takes, and lost: length=" + length + ", node.message-max="
                            + requests.messageMax() + " bytes; allow more");
        } else if (!message.isWhole()) {
            receiveLong(id, message, isReply, contextLength);
        } else if (isReply && asked != null) {
            receivedWhole(id, asked.tag, message, length, contextLength);
        } else {
            refused(id, message.buffer().asSlice(message.headerLength(), length));
        }
    }

    private void receivedWhole(int id, long tag, ActiveMessage message, long length, int contextLength) {
        MemorySegment frame = message.buffer();
        int offset = message.headerLength();
        MessageContext context = context(frame, offset + length, contextLength);
        if (context == null) {
            return;
        }
        if (length <= NodeMessage.HEAP_MAX) {
            reply(id, NodeMessage.copyOf(requests.peer(), tag, context, frame, offset, length));
            return;
        }
        Block block = tryTake(length);
        if (block == null) {
            loseForMemory(id, length);
        } else {
            MemorySegment.copy(frame, offset, block.segment(), 0, length);
            reply(id, NodeMessage.of(requests.peer(), tag, context, block, length));
        }
    }

    /** The context behind a reply; null if it is malformed, which ends the connection. */
    private @Nullable MessageContext context(MemorySegment memory, long at, int length) {
        try {
            return length == 0 ? MessageContext.EMPTY : MessageContext.decode(memory, at, length);
        } catch (FairleadException malformed) {
            requests.violated(malformed);
            return null;
        }
    }

    private void receiveLong(int id, ActiveMessage message, boolean isReply, int contextLength) {
        Block block = isReply ? tryTake(message.length()) : requests.shortBlock();
        if (block == null) {
            loseForMemory(id, message.length());
        } else {
            requests.receive(
                    message,
                    block.segment(),
                    new LongAnswer(id, message.length() - contextLength, isReply, contextLength, block));
        }
    }

    private @Nullable Block tryTake(long length) {
        NativePool pool = requests.loop().group().pool();
        try {
            return length > NodeMessage.HEAP_MAX ? pool.hold(length) : pool.stage(length);
        } catch (OutOfMemoryError none) {
            return null;
        }
    }

    private void loseForMemory(int id, long length) {
        lose(
                id,
                "this node has no native memory for the answer, which is lost: length=" + length
                        + " bytes; close messages sooner, or raise -XX:MaxDirectMemorySize");
    }

    private void lose(int id, String text) {
        requests.answered(id, null, new RequestException(RequestStatus.RESOURCE_EXHAUSTED, text));
    }

    private long tag(int id) {
        NodeRequest asked = requests.table().request(id);
        // Without a request its caller has given up, and the message is closed at once.
        return asked == null ? 0 : asked.tag;
    }

    private void reply(int id, NodeMessage message) {
        requests.answered(id, message, null);
    }

    private void refused(int id, MemorySegment payload) {
        RequestException refusal;
        try {
            refusal = RequestFrame.readRefusal(payload, payload.byteSize());
        } catch (FairleadException malformed) {
            requests.violated(malformed);
            return;
        }
        requests.answered(id, null, refusal);
    }

    /** An answer whose payload is received into a block. */
    private final class LongAnswer implements LongPayloads.Payload {
        private final int id;
        private final long length;
        private final boolean isReply;
        private final int contextLength;
        private final Block block;
        private final int connection = requests.connection();

        private LongAnswer(int id, long length, boolean isReply, int contextLength, Block block) {
            this.id = id;
            this.length = length;
            this.isReply = isReply;
            this.contextLength = contextLength;
            this.block = block;
        }

        @Override
        public void completed(Request request) {
            if (connection != requests.connection() || request.status() != Status.OK) {
                lost();
            } else if (isReply) {
                replied();
            } else {
                try {
                    refused(id, block.segment().asSlice(0, length));
                } finally {
                    block.release();
                }
            }
        }

        private void replied() {
            MessageContext context = context(block.segment(), length, contextLength);
            if (context == null) {
                block.release();
            } else {
                reply(id, NodeMessage.of(requests.peer(), tag(id), context, block, length));
            }
        }

        /** The connection ends, and the request fails with it. */
        @Override
        public void lost() {
            block.release();
        }
    }
}
