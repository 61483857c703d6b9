package io.fairlead.transport.ucx;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Tries UCX where there is hardly any shared memory, and says how that went. */
final class SmallSharedMemoryProgram {
    private SmallSharedMemoryProgram() {}

    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        out.println("availability: " + new UcxProvider().availability());
        if (arguments.length > 0) {
            tryRegion(Long.parseLong(arguments[0]), out);
            return;
        }
        try (RawNode node = new RawNode()) {
            out.println("worker: address of " + node.worker.address().length + " bytes");
        } catch (FairleadException failure) {
            out.println("worker: " + failure.reason() + " " + failure.getMessage());
        }
    }

    /** Allocates a region and writes to all of it. */
    private static void tryRegion(long length, PrintStream out) {
        try (Context context = Context.open(new UcxUnderTest().configure(FairleadConfig.defaults()));
                MemoryRegion region = context.allocate(length, Set.of(AccessRight.READ))) {
            region.segment().fill((byte) 1);
            out.println("region: " + region.segment().byteSize() + " bytes");
        }
    }
}
