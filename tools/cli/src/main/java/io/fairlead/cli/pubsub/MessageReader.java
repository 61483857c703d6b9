package io.fairlead.cli.pubsub;

import io.fairlead.cli.command.CommandFailure;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** Cuts an input into messages. One thread. */
interface MessageReader extends AutoCloseable {
    /** Reads the next message, which may wait for the input; empty at its end. */
    Optional<byte[]> next() throws IOException;

    /** Whether the next message can be had without waiting, as far as is known. */
    boolean ready() throws IOException;

    @Override
    void close() throws IOException;

    /** Each line is a message, without its line feed; a last one without line feed counts. */
    static MessageReader lines(InputStream input, int lengthMax) {
        return new Lines(input, lengthMax);
    }

    /** Each message follows its length, four bytes with the most significant first. */
    static MessageReader binary(InputStream input, int lengthMax) {
        return new Binary(new DataInputStream(input), lengthMax);
    }

    /** Each file is a message, with its name. */
    static MessageReader files(List<Path> paths) {
        return new WholeFiles(paths.iterator());
    }

    /** Lines; see {@link #lines}. */
    final class Lines implements MessageReader {
        private final InputStream input;
        private final int lengthMax;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private long count;

        private Lines(InputStream input, int lengthMax) {
            this.input = input;
            this.lengthMax = lengthMax;
        }

        @Override
        public Optional<byte[]> next() throws IOException {
            line.reset();
            count++;
            int read = input.read();
            if (read < 0) {
                return Optional.empty();
            }
            while (read >= 0 && read != '\n') {
                if (line.size() == lengthMax) {
                    throw CommandFailure.failed("line too long: line=" + count + ", limit " + lengthMax
                            + " bytes; publish with --binary, or whole files with --files");
                }
                line.write(read);
                read = input.read();
            }
            return Optional.of(line.toByteArray());
        }

        @Override
        public boolean ready() throws IOException {
            return input.available() > 0;
        }

        @Override
        public void close() throws IOException {
            input.close();
        }
    }

    /** Lengths and bytes; see {@link #binary}. */
    final class Binary implements MessageReader {
        private final DataInputStream input;
        private final int lengthMax;
        private long count;

        private Binary(DataInputStream input, int lengthMax) {
            this.input = input;
            this.lengthMax = lengthMax;
        }

        @Override
        public Optional<byte[]> next() throws IOException {
            int first = input.read();
            if (first < 0) {
                return Optional.empty();
            }
            count++;
            try {
                int length = first << 24 | input.readUnsignedByte() << 16 | input.readUnsignedShort();
                if (length < 0 || length > lengthMax) {
                    throw CommandFailure.failed("message too long: message=" + count + ", length="
                            + Integer.toUnsignedString(length) + ", limit " + lengthMax
                            + " bytes; check that the input has a length of four bytes before each message");
                }
                byte[] message = new byte[length];
                input.readFully(message);
                return Optional.of(message);
            } catch (EOFException e) {
                throw CommandFailure.failed("input ends inside a message: message=" + count
                        + "; check that the input has a length of four bytes before each message");
            }
        }

        @Override
        public boolean ready() throws IOException {
            return input.available() > 0;
        }

        @Override
        public void close() throws IOException {
            input.close();
        }
    }

    /** Whole files; see {@link #files}. */
    final class WholeFiles implements MessageReader {
        private final Iterator<Path> paths;

        private WholeFiles(Iterator<Path> paths) {
            this.paths = paths;
        }

        @Override
        public Optional<byte[]> next() throws IOException {
            if (!paths.hasNext()) {
                return Optional.empty();
            }
            Path path = paths.next();
            return Optional.of(new NamedFile(String.valueOf(path.getFileName()), Files.readAllBytes(path)).toMessage());
        }

        @Override
        public boolean ready() {
            return paths.hasNext();
        }

        @Override
        public void close() {
            // No file is open between two messages.
        }
    }
}
