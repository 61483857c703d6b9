package io.fairlead.cli.pubsub;

import io.fairlead.cli.command.CommandFailure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A file as a message: the length of its name in two bytes, its name, its content. */
final class NamedFile {
    private static final int NAME_BYTES_MAX = 255;

    /** What a file's message is longer than the file, at most. */
    static final int OVERHEAD = Short.BYTES + NAME_BYTES_MAX;

    private final String name;
    private final byte[] content;

    NamedFile(String name, byte[] content) {
        this.name = name;
        this.content = content;
    }

    String name() {
        return name;
    }

    byte[] content() {
        return content;
    }

    byte[] toMessage() {
        byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
        if (encoded.length > NAME_BYTES_MAX) {
            throw CommandFailure.failed("file name too long: name=" + name + ", length=" + encoded.length + ", limit "
                    + NAME_BYTES_MAX + " bytes; rename the file");
        }
        return ByteBuffer.allocate(Short.BYTES + encoded.length + content.length)
                .putShort((short) encoded.length)
                .put(encoded)
                .put(content)
                .array();
    }

    /** Reads a message; the name is a plain one, which cannot lead out of the folder that it is written to. */
    static NamedFile parse(byte[] message) {
        ByteBuffer bytes = ByteBuffer.wrap(message);
        int nameLength = message.length < Short.BYTES ? -1 : bytes.getShort();
        if (nameLength < 1 || nameLength > Math.min(bytes.remaining(), NAME_BYTES_MAX)) {
            throw CommandFailure.failed("message is no file: length=" + message.length
                    + " bytes; let the publisher publish with --files, or leave out --into");
        }
        byte[] encoded = new byte[nameLength];
        bytes.get(encoded);
        String name = new String(encoded, StandardCharsets.UTF_8);
        if (name.equals(".") || name.equals("..") || name.contains("/") || name.indexOf('\0') >= 0) {
            throw CommandFailure.failed(
                    "file name would leave the folder: name=" + name + "; publish files with plain names");
        }
        byte[] content = new byte[bytes.remaining()];
        bytes.get(content);
        return new NamedFile(name, content);
    }
}
