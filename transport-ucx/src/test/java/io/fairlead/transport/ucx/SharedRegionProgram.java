package io.fairlead.transport.ucx;

import io.fairlead.spi.RegisteredMemory;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Objects;

/** Allocates a region, prints its key, and waits to be killed. */
final class SharedRegionProgram {
    private SharedRegionProgram() {}

    /**
     * Runs it.
     *
     * @param args the length of the region in bytes
     * @throws IOException if its input cannot be read
     */
    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        RawNode node = new RawNode();
        RegisteredMemory region = Objects.requireNonNull(node.region(Long.parseLong(args[0])));
        out.println("key=" + HexFormat.of().formatHex(region.key()));
        // Nothing comes, and the end comes with that of the process that started this one.
        int _ = System.in.read();
    }
}
