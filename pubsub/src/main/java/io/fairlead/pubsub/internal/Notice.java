package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.names.ShownText;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Why a stream was refused or has ended: the payload of a REFUSED or END. On the wire: code (64 bits), UTF-8 text.
 *
 * <p>The codes are the protocol's own, so that reordering {@link Reason} changes nothing on the wire.
 */
final class Notice {
    private static final int TEXT_BYTES_MAX = 1024;
    private static final Reason[] BY_CODE = {
        Reason.CLOSED, Reason.LIMIT_REACHED, Reason.PROTOCOL_VIOLATION, Reason.REFUSED, Reason.UNSUPPORTED
    };

    private Notice() {}

    /** Writes the payload and returns its length. A longer text is cut. */
    static int encode(MemorySegment segment, FairleadException cause) {
        byte[] text = String.valueOf(cause.getMessage()).getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, TEXT_BYTES_MAX);
        // A cut must not split a character, as the other side takes broken UTF-8 for a broken peer.
        while (length < text.length && (text[length] & 0xC0) == 0x80) {
            length--;
        }
        segment.set(Wire.LONG, 0, Math.max(0, Arrays.asList(BY_CODE).indexOf(cause.reason())));
        Wire.putBytes(segment, 8, Arrays.copyOf(text, length));
        return 8 + length;
    }

    /** Reads a payload that a peer sent. */
    static FairleadException decode(MemorySegment segment, long at, long payload) throws Malformed {
        if (payload < 8 || payload > 8 + TEXT_BYTES_MAX) {
            throw new Malformed(
                    "notice out of range: length=" + payload + ", allowed 8 to " + (8 + TEXT_BYTES_MAX) + " bytes");
        }
        long code = segment.get(Wire.LONG, at);
        if (code < 0 || code >= BY_CODE.length) {
            throw new Malformed("unknown reason in a notice: code=" + code);
        }
        // It ends up in logs and terminals.
        String text = ShownText.line(Wire.text(segment, at + 8, payload - 8));
        return new FairleadException(BY_CODE[(int) code], text.isBlank() ? "the peer gives no reason" : text);
    }
}
