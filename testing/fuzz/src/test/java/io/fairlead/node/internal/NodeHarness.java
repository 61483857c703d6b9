package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.node.internal.frame.ContextFrame;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/** Frames of contexts as a peer's node sends them. */
public final class NodeHarness implements Harness {
    @Override
    public List<byte[]> seeds() {
        byte[] context = MessageContext.of(
                        Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
                .encode();
        byte[] several = MessageContext.of(Map.of("a", "ä", "b", "", "tracestate", "c=d"))
                .encode();
        return List.of(Input.behind(0, context), Input.behind(0, several), new byte[] {1});
    }

    @Override
    public void run(byte[] input) {
        if (!ContextFrame.isLength(input.length)) {
            Expect.refusal(ContextFrame.wrongLength(input.length), Reason.PROTOCOL_VIOLATION);
            return;
        }
        try {
            MessageContext context = ContextFrame.read(MemorySegment.ofArray(input), input.length);
            byte[] again = context.encode();
            Expect.same(
                    context,
                    MessageContext.decode(MemorySegment.ofArray(again), 0, again.length),
                    "a context means something else");
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.PROTOCOL_VIOLATION);
        }
    }
}
