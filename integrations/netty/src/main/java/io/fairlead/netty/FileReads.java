package io.fairlead.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Reads regions of files into buffers, one message at a time, because a region can be read only once. */
final class FileReads {
    private FileReads() {}

    /** Reads the next bytes of a region, at least one. */
    static ByteBuf read(FileRegion region, ByteBufAllocator allocator, int bytesMax) throws IOException {
        long left = region.count() - region.transferred();
        ByteBuf buffer = allocator.directBuffer((int) Math.max(1, Math.min(left, bytesMax)));
        try {
            long read = region.transferTo(new Target(buffer), region.transferred());
            if (read <= 0) {
                throw new IOException("file is shorter than its region: transferred=" + region.transferred()
                        + ", count=" + region.count() + " bytes");
            }
            return buffer;
        } catch (Throwable thrown) {
            buffer.release();
            throw thrown;
        }
    }

    /** The channel to which a region is written. It takes as many bytes as fit the buffer. */
    private record Target(ByteBuf buffer) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer source) {
            int length = Math.min(source.remaining(), buffer.writableBytes());
            ByteBuffer part = source.slice(source.position(), length);
            buffer.writeBytes(part);
            source.position(source.position() + length);
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
