package io.fairlead.cli.top;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.FileProblem;
import io.fairlead.spi.host.FileRights;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Asks for metrics, with the token that they may need. Thread-safe; it never shows the token. */
final class ScrapeClient {
    private final HttpClient http;
    private final Optional<String> token;

    private ScrapeClient(HttpClient http, Optional<String> token) {
        this.http = http;
        this.token = token;
    }

    /**
     * A client.
     *
     * @param tokenFile what {@code metrics.token-file} of the processes is; none if they need no token
     * @throws CommandFailure if it cannot be read
     */
    static ScrapeClient open(Optional<Path> tokenFile) {
        return new ScrapeClient(HttpClient.newHttpClient(), tokenFile.map(ScrapeClient::read));
    }

    private static String read(Path file) {
        if (FileRights.isOpenToAll(file)) {
            throw CommandFailure.failed("the token for metrics can be read or written by all users of this host: file="
                    + file + "; chmod 600 " + file);
        }
        try {
            return Files.readString(file).strip();
        } catch (IOException unreadable) {
            throw CommandFailure.failed("cannot read the token for metrics: file=" + file + ", cause="
                    + FileProblem.of(unreadable)
                    + "; name the file that metrics.token-file of the process names");
        }
    }

    <T> CompletableFuture<HttpResponse<T>> get(URI uri, BodyHandler<T> body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).header("Accept", "text/plain;version=0.0.4");
        token.ifPresent(word -> request.header("Authorization", "Bearer " + word));
        return http.sendAsync(request.build(), body);
    }

    /** What is under way is not waited for. */
    void shutdownNow() {
        http.shutdownNow();
    }
}
