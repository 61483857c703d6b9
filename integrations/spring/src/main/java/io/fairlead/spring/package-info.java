/**
 * Fairlead in Spring Boot applications. {@link io.fairlead.spring.FairleadAutoConfiguration} makes a node, a publisher, a subscriber and peers of the
 * properties below {@code fairlead}, {@link io.fairlead.spring.FairleadListener} makes listeners of methods, and health, metrics, observations and gRPC
 * come with the libraries that an application has anyway.
 */
@NullMarked
package io.fairlead.spring;

import org.jspecify.annotations.NullMarked;
