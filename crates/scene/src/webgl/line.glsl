// Lines. Twin of the lines in shaders/view/things.wgsl.
VARYING vec4 shade;

#ifdef VERTEX

layout(location = 0) in vec4 place;
layout(location = 1) in vec4 paint;

void main() {
    shade = paint;
    gl_Position = view.view_projection * vec4(place.xyz, 1.0);
}

#else

out vec4 colour;

void main() {
    colour = vec4(to_srgb(shade.rgb), shade.a);
}

#endif
