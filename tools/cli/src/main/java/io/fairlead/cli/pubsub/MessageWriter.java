package io.fairlead.cli.pubsub;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes messages to an output. One thread. */
interface MessageWriter extends AutoCloseable {
    void write(byte[] message) throws IOException;

    /** Hands on what was written; called whenever nothing more waits. */
    void flush() throws IOException;

    @Override
    void close() throws IOException;

    /** Each message and a line feed. */
    static MessageWriter lines(OutputStream output) {
        return new ToStream(new BufferedOutputStream(output, 1 << 16)) {
            @Override
            public void write(byte[] message) throws IOException {
                out.write(message);
                out.write('\n');
            }
        };
    }

    /** Each message after its length, four bytes with the most significant first. */
    static MessageWriter binary(OutputStream output) {
        return new ToStream(new BufferedOutputStream(output, 1 << 16)) {
            @Override
            public void write(byte[] message) throws IOException {
                out.writeInt(message.length);
                out.write(message);
            }
        };
    }

    /** Each message, which must hold a file with its name, as a file in a folder. */
    static MessageWriter files(Path folder) {
        return new MessageWriter() {
            @Override
            public void write(byte[] message) throws IOException {
                NamedFile file = NamedFile.parse(message);
                // Under another name first, so that nobody who looks for the file finds half of it.
                Path whole = Files.createTempFile(folder, ".fairlead-", ".part");
                Files.write(whole, file.content());
                Files.move(whole, folder.resolve(file.name()), StandardCopyOption.REPLACE_EXISTING);
            }

            @Override
            public void flush() {
                // Every file is whole once its message has been written.
            }

            @Override
            public void close() {
                // No file is open between two messages.
            }
        };
    }

    /** What the writers to a stream have in common. */
    abstract class ToStream implements MessageWriter {
        final DataOutputStream out;

        ToStream(OutputStream output) {
            out = new DataOutputStream(output);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
