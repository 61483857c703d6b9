package io.fairlead.internal.wire;

import io.fairlead.internal.names.ShownText;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Rules for text that one process sends and another one prints. */
public final class WireText {
    private WireText() {}

    /** Four digits. */
    static String hex(short value) {
        return HexFormat.of().withUpperCase().toHexDigits(value);
    }

    /** Eight digits. */
    public static String hex(int value) {
        return HexFormat.of().withUpperCase().toHexDigits(value);
    }

    static boolean isTransportName(String name) {
        if (name.isEmpty() || name.length() > WireLimits.TRANSPORT_NAME) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-') {
                return false;
            }
        }
        return true;
    }

    /**
     * Foreign text as part of a line: characters that would end or forge the line become spaces, and the length is
     * limited.
     */
    public static String line(String text, int max) {
        return ShownText.line(text.length() > max ? text.substring(0, max) : text);
    }

    /** One line of text in UTF-8, truncated at a character boundary to a maximum number of bytes. */
    static byte[] cut(String text, int max) {
        String line = line(text, text.length());
        ByteBuffer encoded = ByteBuffer.allocate(max);
        // The encoder stops at the last character that fits completely, so the result is always valid UTF-8.
        StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE)
                .encode(CharBuffer.wrap(line), encoded, true);
        byte[] bytes = new byte[encoded.flip().remaining()];
        encoded.get(bytes);
        return bytes;
    }
}
