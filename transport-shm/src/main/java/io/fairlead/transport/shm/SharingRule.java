package io.fairlead.transport.shm;

import io.fairlead.spi.host.HostFiles;
import java.io.IOException;

/**
 * Which processes this one shares memory with: those of its own user, as the kernel reports it, and with
 * {@code security.mode} on those of every user. Two sides without keys have nothing but the user to tell friend from
 * foe.
 *
 * @param user this process's user id, in its user namespace
 * @param isAmbiguous whether the kernel may report other users with the same id: the one for users without an id here
 * @param isSecured whether connections are authenticated
 */
record SharingRule(int user, boolean isAmbiguous, boolean isSecured) {
    static SharingRule of(HostFiles files, int user, boolean isSecured) {
        String overflow = files.text("/proc/sys/kernel/overflowuid").orElse("65534");
        // The initial namespace has an id for every user.
        boolean isComplete = files.text("/proc/self/uid_map")
                .map(map -> map.replaceAll("\\s+", " ").equals("0 0 4294967295"))
                .orElse(false);
        return new SharingRule(user, overflow.equals(Integer.toUnsignedString(user)) && !isComplete, isSecured);
    }

    /**
     * Whether the process that has connected to a socket here may share memory. It may be another one than the peer whose
     * socket was checked before, since a peer can name the socket of any process.
     */
    boolean allows(LocalSocket accepted) {
        try {
            return isAllowed(accepted.peer());
        } catch (IOException unknown) {
            return false;
        }
    }

    private boolean isAllowed(LocalSocket.Credentials peer) {
        return isSecured || (peer.user() == user && !isAmbiguous);
    }

    /**
     * Why a process is refused; empty if it is not.
     *
     * @param side which side this process is on
     * @param otherSide which side the other process is on
     */
    String refusal(LocalSocket.Credentials peer, String side, String otherSide) {
        if (isAllowed(peer)) {
            return "";
        }
        return "they have different users (" + side + "=" + Integer.toUnsignedString(user) + ", " + otherSide + "="
                + Integer.toUnsignedString(peer.user())
                + (isAmbiguous ? ", the id of all users that have none in this namespace" : "")
                + "), and only security.mode=authenticated or encrypted lets them share memory";
    }
}
