package io.fairlead.transport.ucx;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Shared memory as its owner has it mapped, by which others find out whether it is still there. They have to before they let UCX map it
 * too: where a segment is gone, {@code ucp_ep_rkey_unpack} frees what it has never set, and ends the process (1.13 to 1.18).
 *
 * @param pid the owner, in the namespace that both share
 * @param inode what is mapped; 0 for nothing
 */
record SharedMapping(long pid, long inode) {
    private static final int FIELDS = 6;

    /** What this process has mapped at an address. */
    static SharedMapping here(long address) {
        long pid = ProcessHandle.current().pid();
        return new SharedMapping(pid, inodeAt(pid, address).orElse(0L));
    }

    /** Whether the owner still has the same thing at the address. */
    boolean isAt(long address) {
        return inode != 0 && inodeAt(pid, address).equals(Optional.of(inode));
    }

    private static Optional<Long> inodeAt(long pid, long address) {
        String maps;
        try {
            // Names of files may be in any encoding.
            maps = Files.readString(Path.of("/proc", Long.toString(pid), "maps"), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return Optional.empty();
        }
        return maps.lines()
                .map(line -> line.split(" +", FIELDS))
                .filter(fields -> fields[1].endsWith("s") && holds(fields[0], address))
                .map(fields -> Long.parseLong(fields[4]))
                .findFirst();
    }

    private static boolean holds(String range, long address) {
        int dash = range.indexOf('-');
        return Long.compareUnsigned(Long.parseUnsignedLong(range, 0, dash, 16), address) <= 0
                && Long.compareUnsigned(address, Long.parseUnsignedLong(range, dash + 1, range.length(), 16)) < 0;
    }
}
